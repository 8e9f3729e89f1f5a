import '@mantine/core/styles.css';
import { MantineProvider } from '@mantine/core';
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { components } from './components.jsx';

/** What is to be shown. Opened by hand without a request, the host shows a button. */
function readRequest() {
  const asked = /^#darkroom=(.*)$/.exec(location.hash)?.[1];
  return asked ? JSON.parse(decodeURIComponent(asked)) : { component: 'button', preset: null, props: null };
}

function mount({ component, preset, props }) {
  return new Promise((resolve, reject) => {
    const { Component, base = {}, presets = {} } = components[component] ?? {};
    if (!Component) throw new Error(`No component is named ${component}.`);
    if (preset && !presets[preset]) throw new Error(`The component ${component} has no preset ${preset}.`);
    const root = document.querySelector('#root');
    createRoot(root, { onUncaughtError: reject }).render(
      <MantineProvider>
        <Mounted then={() => resolve({ root })}>
          <Component {...base} {...presets[preset]} {...props} />
        </Mounted>
      </MantineProvider>,
    );
  });
}

/** Its effect runs when everything in it has been mounted. */
function Mounted({ children, then }) {
  useEffect(then, [then]);
  return children;
}

window.darkroomReady = mount(readRequest());
