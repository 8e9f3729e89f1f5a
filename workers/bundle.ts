import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Build step: bundles the workflow code into one file beside the compiled sources. */
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../workflows/workflow-types.js', import.meta.url)),
  logger: new DefaultLogger('WARN'),
});
await writeFile(new URL('../workflow-bundle.js', import.meta.url), code);
