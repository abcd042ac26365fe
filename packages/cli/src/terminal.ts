/** Where a command's words go. The only two streams of the program; handed in, so that a test can read along. */
export interface Terminal {
  out(line: string): void
  error(line: string): void
}

export const processTerminal: Terminal = {
  out: line => void process.stdout.write(`${line}\n`),
  error: line => void process.stderr.write(`${line}\n`),
}
