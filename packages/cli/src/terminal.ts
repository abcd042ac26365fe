/** Where a command's words go. The only two streams of the program; handed in, so that a test can read along. */
export interface Terminal {
  out(line: string): void
  error(line: string): void
}

export const processTerminal: Terminal = {
  out: line => void process.stdout.write(`${line}\n`),
  error: line => void process.stderr.write(`${line}\n`),
}

/** Whoever reads along may stop reading (`weave models | head`); that is no fault of the program. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}
