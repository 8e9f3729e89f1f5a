import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder, type PackageName } from './packages.js';

/** What stands in for a file, so that its page renders without the internet as it would with it. */
export interface Overlay {
  readonly contentType: string;
  readonly body: string;
}

const ICONS_URL = 'https://fonts.googleapis.com/icon?family=Material+Icons';
const ROBOTO_URL =
  'https://fonts.googleapis.com/css?family=Roboto:regular,bold,italic,thin,light,bolditalic,black,medium&amp;lang=en';
const NUNITO_URL =
  'https://fonts.googleapis.com/css?family=Nunito:200,200i,300,300i,400,400i,600,600i,700,700i,800,800i,900,900i';

/** Material Design Lite asks its own content network for what the package holds. */
const MATERIAL: Replacements = [
  ['https://code.getmdl.io/1.3.0/', '/material-design-lite/dist/'],
  [ICONS_URL, '/material-icons/iconfont/filled.css'],
  [ROBOTO_URL, '/gallery/roboto.css'],
];

const SB_ADMIN: Replacements = [
  [NUNITO_URL, '/gallery/nunito.css'],
  ['https://source.unsplash.com/Mv9hjnEUHR4/60x60', 'img/undraw_profile.svg'],
];

type Replacements = readonly (readonly [from: string, to: string])[];

/** By path. The server answers with these before it looks for files. */
export const OVERLAYS: Readonly<Record<string, () => Overlay>> = {
  '/gallery/roboto.css': () => sheet(['300', '400', '500', '700'].map((weight) => `/@fontsource/roboto/${weight}.css`)),
  // The package names its variable font otherwise than the page does.
  '/gallery/nunito.css': () => renamed('@fontsource-variable/nunito', 'wght.css', 'Nunito Variable', 'Nunito'),
  '/swagger-ui-dist/swagger-initializer.js': () =>
    edited('swagger-ui-dist', 'swagger-initializer.js', 'text/javascript', [
      ['https://petstore.swagger.io/v2/swagger.json', '/@readme/oas-examples/3.0/json/petstore.json'],
    ]),
  // The package's tests are built by its own tooling; this is the part that gives them UIkit.
  '/uikit/tests/js/test.js': () => ({
    contentType: 'text/javascript',
    body: `document.write('<link rel="stylesheet" href="../dist/css/uikit.css">'
  + '<script src="../dist/js/uikit.js"></scr' + 'ipt><script src="../dist/js/uikit-icons.js"></scr' + 'ipt>');\n`,
  }),
  ...page('material-design-lite', 'dist/templates/dashboard/index.html', MATERIAL),
  ...page('material-design-lite', 'dist/templates/android-dot-com/index.html', MATERIAL),
  ...page('startbootstrap-sb-admin-2', 'index.html', SB_ADMIN),
  ...page('startbootstrap-sb-admin-2', 'tables.html', SB_ADMIN),
  ...weuiPage('panel'),
};

function page(name: PackageName, path: string, replacements: Replacements): Record<string, () => Overlay> {
  return { [`/${name}/${path}`]: () => edited(name, path, 'text/html; charset=utf-8', replacements) };
}

/** WeUI's pages are views of one document behind a fragment, which a target does not have. */
function weuiPage(view: string): Record<string, () => Overlay> {
  const replacements: Replacements = [
    ['<head>', `<head><script>history.replaceState(null, '', '#${view}')</script>`],
    // For pages inside WeChat, and for pickers that open on a tap.
    ['<script type="text/javascript" src="https://res.wx.qq.com/open/js/jweixin-1.0.0.js"></script>', ''],
    ['<script src="https://res.wx.qq.com/t/wx_fed/weui.js/res/1.2.17/weui.min.js"></script>', ''],
  ];
  return {
    [`/weui/dist/example/${view}.html`]: () =>
      edited('weui', 'dist/example/index.html', 'text/html; charset=utf-8', replacements),
  };
}

function edited(name: PackageName, path: string, contentType: string, replacements: Replacements): Overlay {
  const original = readFileSync(join(packageFolder(name), path), 'utf8');
  const body = replacements.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${name}/${path} no longer contains ${from}.`);
    return text.replaceAll(from, to);
  }, original);
  return { contentType, body };
}

function renamed(name: PackageName, path: string, from: string, to: string): Overlay {
  const { body } = edited(name, path, 'text/css', [
    [from, to],
    ['url(./', `url(/${name}/`],
  ]);
  return { contentType: 'text/css', body };
}

function sheet(imports: readonly string[]): Overlay {
  return { contentType: 'text/css', body: imports.map((path) => `@import '${path}';\n`).join('') };
}
