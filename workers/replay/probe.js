// Appended to the workflow bundle, so it runs inside the sandbox of every replayed workflow: tells each command that the
// code gives and the stack of the call that gave it. The stacks come mapped to the sources, as the SDK maps all of them.
(() => {
  const library = globalThis.__TEMPORAL__;
  if (library === undefined) return;
  const own = library.importInterceptors;

  // Interceptors are imported once per workflow, right before its code: the activator stands, no command was given yet.
  library.importInterceptors = () => {
    const activator = globalThis.__TEMPORAL_ACTIVATOR__;
    const push = activator.pushCommand;
    const toFailure = activator.errorToFailure;
    // An error that fails the workflow task gives no command; what fails the workflow comes along here too.
    activator.errorToFailure = (error) => {
      activator.sinkCalls.push({ ifaceName: 'replay', fnName: 'failed', args: [String(error), String(error?.stack)] });
      return toFailure.call(activator, error);
    };
    activator.pushCommand = (command, complete) => {
      const before = Error.stackTraceLimit;
      Error.stackTraceLimit = 50;
      const { stack } = new Error('command');
      Error.stackTraceLimit = before;
      activator.sinkCalls.push({ ifaceName: 'replay', fnName: 'command', args: [described(command), stack] });
      push.call(activator, command, complete);
    };
    return own();
  };

  function described(command) {
    const [kind, fields] = Object.entries(command).find(([name, value]) => Boolean(value) && name !== 'userMetadata');
    const step = ['accepted', 'rejected', 'completed'].find((name) => Boolean(fields[name]));
    return { kind: step === undefined ? kind : `${kind}.${step}`, seq: fields.seq, activity: fields.activityType };
  }
})();
