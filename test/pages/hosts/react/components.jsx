import { Alert, Badge, Button, Card, Checkbox, Progress } from '@mantine/core';
import { use, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';

/** What the host can show: a component, the props of its default state, and named presets laid over those. */
export const components = {
  button: {
    Component: Button,
    base: { children: 'Save' },
    presets: { danger: { color: 'red', children: 'Delete' }, large: { size: 'xl', variant: 'outline' } },
  },
  badge: {
    Component: Badge,
    base: { children: 'New', color: 'dark' },
    presets: { dot: { variant: 'dot' }, full: { fullWidth: true } },
  },
  alert: {
    Component: Alert,
    base: { title: 'Saved', children: 'Your changes are on the server.' },
    presets: {
      error: { color: 'red', title: 'Failed' },
      closable: { withCloseButton: true, closeButtonLabel: 'Close' },
    },
  },
  checkbox: {
    Component: Checkbox,
    base: { label: 'I agree', readOnly: true },
    presets: { checked: { checked: true }, disabled: { disabled: true } },
  },
  progress: {
    Component: Progress,
    base: { value: 30, 'aria-label': 'Upload' },
    presets: { done: { value: 100, color: 'teal' }, striped: { striped: true, animated: true } },
  },
  card: {
    Component: Card,
    base: { children: <p>A card with a sentence in it.</p> },
    presets: { shadow: { shadow: 'lg', padding: 'xl' }, bordered: { withBorder: true } },
  },
  broken: { Component: Broken, presets: { price: { price: { amount: 42 } } } },
  silent: { Component: Silent },
  portal: { Component: Portal },
};

/** Throws while it is mounted, unless it is given a price. */
function Broken({ price }) {
  return <p>The price is {price.amount}.</p>;
}

const never = new Promise(() => {});

/** Waits for what never comes. */
function Silent() {
  return use(never);
}

/** Shows nothing in its place, and half a second later something beside it. */
function Portal() {
  const [isOpen, open] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => open(true), 500);
    return () => clearTimeout(timer);
  }, []);
  return isOpen
    ? createPortal(
        <aside id="portal" style={{ height: 120, background: '#0a0' }}>
          Late
        </aside>,
        document.body,
      )
    : null;
}
