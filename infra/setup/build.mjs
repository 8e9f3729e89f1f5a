/** `npm run build` */
import { ensureProject } from './ensure.mjs';

await ensureProject();
