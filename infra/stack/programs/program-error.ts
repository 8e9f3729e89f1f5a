/** A program that the stack needs and that cannot be had on this machine. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  readonly program: string;
  readonly tried: readonly string[];

  constructor(program: string, report: { tried: readonly string[]; advice: string }, options?: ErrorOptions) {
    const tried = report.tried.map((attempt) => `  - ${attempt}`).join('\n');
    super(`${program} cannot be had. Tried:\n${tried}\n${report.advice}`, options);
    this.program = program;
    this.tried = report.tried;
  }
}
