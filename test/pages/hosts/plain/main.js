import '@shoelace-style/shoelace/dist/themes/light.css';
import '@shoelace-style/shoelace/dist/components/alert/alert.js';
import '@shoelace-style/shoelace/dist/components/badge/badge.js';
import '@shoelace-style/shoelace/dist/components/button/button.js';
import '@shoelace-style/shoelace/dist/components/progress-bar/progress-bar.js';
import '@shoelace-style/shoelace/dist/components/switch/switch.js';
import '@shoelace-style/shoelace/dist/components/tag/tag.js';

/** The properties of each component's default state, and named presets laid over those. */
const COMPONENTS = {
  'sl-alert': {
    base: { open: true, textContent: 'Saved.' },
    warning: { variant: 'warning' },
    closable: { closable: true },
  },
  'sl-badge': { base: { textContent: 'New' }, success: { variant: 'success' }, pill: { pill: true } },
  'sl-button': { base: { textContent: 'Save' }, primary: { variant: 'primary' }, large: { size: 'large', pill: true } },
  'sl-progress-bar': { base: { value: 30, label: 'Upload' }, done: { value: 100 }, unknown: { indeterminate: true } },
  'sl-switch': { base: { textContent: 'Wi-Fi' }, on: { checked: true }, small: { size: 'small' } },
  'sl-tag': { base: { textContent: 'Draft' }, danger: { variant: 'danger' }, removable: { removable: true } },
};

/** What is to be shown. Opened by hand without a request, the host shows a button. */
function readRequest() {
  const asked = /^#darkroom=(.*)$/.exec(location.hash)?.[1];
  return asked ? JSON.parse(decodeURIComponent(asked)) : { component: 'sl-button', preset: null, props: null };
}

async function mount({ component, preset, props }) {
  const { base, ...presets } = COMPONENTS[component] ?? {};
  if (!base) throw new Error(`No component is named ${component}.`);
  if (preset && !presets[preset]) throw new Error(`The component ${component} has no preset ${preset}.`);
  await customElements.whenDefined(component);
  const element = Object.assign(document.createElement(component), base, presets[preset], props);
  const root = document.querySelector('#root');
  root.append(element);
  await element.updateComplete;
  return { root };
}

window.darkroomReady = mount(readRequest());
