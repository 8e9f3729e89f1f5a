/** Draws numbered boxes over the page. A layer without size and with its own style changes nothing under it. */
function outline({ boxes }) {
  const COLOURS = { error: '#d00000', warning: '#e07000', info: '#0060d0' };
  const layer = document.createElement('darkroom-outlines');
  layer.style.cssText = 'all: initial; position: absolute; left: 0; top: 0; width: 0; height: 0; z-index: 2147483647';
  const root = layer.attachShadow({ mode: 'closed' });
  const origin = document.documentElement.appendChild(layer).getBoundingClientRect();
  for (const { number, severity, x, y, width, height } of boxes) {
    const box = document.createElement('div');
    const place = `left: ${x - scrollX - origin.left}px; top: ${y - scrollY - origin.top}px`;
    const size = `width: ${Math.max(width, 4)}px; height: ${Math.max(height, 4)}px`;
    box.style.cssText = `position: absolute; ${place}; ${size}; outline: 2px solid ${COLOURS[severity]}; outline-offset: 1px`;
    const label = document.createElement('span');
    label.textContent = String(number);
    label.style.cssText = `position: absolute; left: -1px; top: -1px; padding: 0 4px; font: bold 12px/16px sans-serif; color: #fff; background: ${COLOURS[severity]}`;
    box.append(label);
    root.append(box);
  }
}
