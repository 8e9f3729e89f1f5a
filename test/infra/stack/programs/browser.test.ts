import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { prepareChromium } from '../../../../infra/stack/programs/chromium.js';
import { prepareFonts } from '../../../../infra/stack/programs/fonts.js';
import { FakeMachine } from '../fake-machine.js';

/** Lists a font for every question once `installed` lies beside it. */
const FC_LIST = 'test -e "$(dirname "$0")/installed" && echo Some Font; exit 0';
const APT_GET = 'echo "$@" >> "$(dirname "$0")/asked"; touch "$(dirname "$0")/installed"';

let machine: FakeMachine;
afterEach(() => {
  machine.remove();
});

test('Chromium is what the setting says', async () => {
  machine = new FakeMachine();
  const chosen = machine.install('my-chromium', '');
  machine.env['DARKROOM_NODE_CHROMIUM'] = chosen;
  await expect(prepareChromium(machine)).resolves.toBe(chosen);
});

test('a setting that names no browser is an error that says so', async () => {
  machine = new FakeMachine();
  machine.env['DARKROOM_NODE_CHROMIUM'] = join(machine.folder, 'nowhere');
  await expect(prepareChromium(machine)).rejects.toThrow(/nowhere[^]*Correct DARKROOM_NODE_CHROMIUM/);
});

test.runIf(process.platform === 'linux')('missing fonts are installed as root, after saying so', async () => {
  machine = new FakeMachine({ isRoot: true });
  machine.install('fc-list', FC_LIST);
  machine.install('apt-get', APT_GET);
  await prepareFonts(machine);
  expect(machine.said[0]).toBe(
    'installing the Debian packages fontconfig, fonts-noto-cjk, fonts-noto-color-emoji, fonts-liberation …',
  );
});

test.runIf(process.platform === 'linux')('package lists are fetched when the packages are not known', async () => {
  machine = new FakeMachine({ isRoot: true });
  machine.install('fc-list', FC_LIST);
  machine.install(
    'apt-get',
    'case "$*" in *update) touch "$(dirname "$0")/lists";; *) test -e "$(dirname "$0")/lists" && touch "$(dirname "$0")/installed";; esac',
  );
  await expect(prepareFonts(machine)).resolves.toBeUndefined();
});

test.runIf(process.platform === 'linux')(
  'missing fonts that cannot be installed are named with their packages',
  async () => {
    machine = new FakeMachine();
    machine.install('fc-list', FC_LIST);
    machine.install('apt-get', APT_GET);
    await expect(prepareFonts(machine)).rejects.toThrow(
      /^Fonts for Chinese, Japanese and Korean, emoji, Arial's widths cannot be had[^]*not root[^]*fonts-noto-cjk/,
    );
  },
);

test.runIf(process.platform === 'linux')('a system without fontconfig counts as one without fonts', async () => {
  machine = new FakeMachine();
  await expect(prepareFonts(machine)).rejects.toThrow(/there is no apt-get/);
});
