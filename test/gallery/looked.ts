import type { Looked } from './measure.js';

/** By gallery page: five elements and their colours, and text whose characters are looked at one by one. */
export const LOOKED: Readonly<Record<string, Looked>> = {
  'weui-panel': {
    colours: ['.page__hd', '.weui-panel__hd', '.weui-media-box__thumb', '.weui-panel__ft', '.weui-panel__bd'],
    glyphs: ['.page__desc', '.weui-panel__hd', '.weui-media-box__desc'],
  },
  'swagger-petstore': {
    colours: ['.topbar', '.opblock-post', '.opblock-get', '.opblock-delete', '.opblock-get .opblock-summary-method'],
    glyphs: ['.info .title'],
  },
  'uikit-article': {
    colours: ['h1', 'article img', 'article:nth-of-type(4) img', 'article:last-of-type', '.uk-article-title'],
    glyphs: ['h1'],
  },
  'sb-admin-dashboard': {
    colours: [
      '#accordionSidebar',
      '.topbar',
      '.bg-danger.text-white',
      '.bg-success.text-white',
      '#myAreaChart',
      '#myPieChart',
    ],
    glyphs: ['h1'],
  },
  'sb-admin-table': {
    colours: ['.card-header', '#dataTable_wrapper', '.page-item.active .page-link', 'thead tr', 'tbody tr'],
    glyphs: ['.card-header h6'],
  },
  'material-dashboard': {
    colours: [
      '.demo-drawer',
      '.demo-drawer-header',
      '.mdl-layout__header',
      '.demo-updates .mdl-card__title',
      '.demo-options',
    ],
    glyphs: ['.mdl-layout-title'],
  },
};
