import js from '@eslint/js';
import { builtinRules } from 'eslint/use-at-your-own-risk';
import tseslint from 'typescript-eslint';

/** What a workflow may not touch: on replay it would answer differently, or it is not there in the sandbox. */
const NOT_IN_WORKFLOWS = [
  ['process', 'Workflows know nothing of their process; pass what they need in their input.'],
  ['setTimeout', "Use `sleep` of '@temporalio/workflow', which is cancellable."],
  ['setInterval', "Use a loop over `sleep` of '@temporalio/workflow'."],
  ['setImmediate', "Use `sleep` of '@temporalio/workflow'."],
  ['queueMicrotask', 'Use promises.'],
  ['crypto', "Use `uuid4` of '@temporalio/workflow', or derive the id."],
  ['fetch', 'Input and output belong to activities.'],
  ['performance', 'Only the time of `Date.now()` is replayed.'],
  ['WeakRef', 'Garbage collection is not replayed.'],
  ['FinalizationRegistry', 'Garbage collection is not replayed.'],
].map(([name, message]) => ({ name, message }));

const NO_RANDOM = {
  object: 'Math',
  property: 'random',
  message: 'Ids and choices are derived, never random.',
};

/** With the default, TRY_CANCEL, a cancelled wait ends at once and its later grant leaks. */
const CANCELLATION_TYPE = {
  selector:
    "CallExpression[callee.name=/^proxy(Local)?Activities$/]:not(:has(ObjectExpression > Property[key.name='cancellationType']))",
  message: 'Every activity proxy names its cancellationType in the call itself.',
};

/** Workflows of one worker may share a module: a variable of it would be one workflow's in another's hands. */
const NO_SHARED_STATE = [
  [':matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration[kind!="const"]', 'variables'],
  [
    ':matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator > NewExpression[callee.name=/^(Map|Set|Array)$/]',
    'mutable collections',
  ],
].map(([selector, what]) => ({
  selector,
  message: `No ${what} in a workflow module: keep what changes in the workflow function.`,
}));

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'coverage/', 'node_modules/', '.darkroom/', 'test/pages/', '**/histories/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Interpolated numbers and booleans read the same as `String(…)` around each of them.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // Strict index signatures make `env['NAME']` necessary.
      '@typescript-eslint/dot-notation': 'off',
      '@typescript-eslint/consistent-type-definitions': 'off',
      // `() => stop()` in a callback position says enough.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['**/*.ts', '**/*.js', '**/*.mjs'],
    // The same rule under a second name: one bound warns, the other fails.
    plugins: { hard: { rules: { 'max-lines': builtinRules.get('max-lines') } } },
    rules: {
      'hard/max-lines': ['error', 400],
      'max-lines': ['warn', 250],
      'max-lines-per-function': ['warn', { max: 50, skipBlankLines: true, skipComments: true }],
      'max-depth': ['warn', 3],
      complexity: ['warn', 12],
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'performance',
          'URL',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'module',
          'require',
          'fetch',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    // Sent to the page as text: scripts of one function each, which the page's side calls.
    files: ['activities/capture/in-page/**/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: Object.fromEntries(
        [
          'window',
          'document',
          'requestAnimationFrame',
          'setTimeout',
          'atob',
          'Blob',
          'createImageBitmap',
          'CSS',
          'CSSStyleDeclaration',
          'CSSStyleSheet',
          'Element',
          'Event',
          'HTMLFormElement',
          'HTMLSlotElement',
          'ShadowRoot',
          'MutationObserver',
          'clearTimeout',
          'Node',
          'PerformanceObserver',
          'getComputedStyle',
          'performance',
          'scrollX',
          'scrollY',
          // Of each other: they are joined before they are sent.
          'plain',
          'selectorOf',
          'sceneOf',
          'SLACK',
          'colourOf',
          'alphaOf',
          'horizontalOverflow',
          'contentClipped',
          'contentOverlapping',
          'elementOffScreen',
          'zeroSize',
          'images',
          'textInvisible',
          'textTooSmall',
          'tapTargetTooSmall',
          'fixedCoveringContent',
          'duplicateId',
          'emptyPage',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'no-unused-vars': 'off', 'no-redeclare': ['error', { builtinGlobals: false }] },
  },
  {
    files: ['workflows/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...NOT_IN_WORKFLOWS],
      'no-restricted-properties': ['error', NO_RANDOM],
      'no-restricted-syntax': ['error', CANCELLATION_TYPE, ...NO_SHARED_STATE],
    },
  },
  {
    // The contract is pure: even the workflow's clock is an argument.
    files: ['workflows/contract/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        NO_RANDOM,
        { object: 'Date', property: 'now', message: 'Time is an argument.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // A suite is one long function by nature.
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
);
