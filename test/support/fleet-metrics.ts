import type { RunningCommand } from './weave-command.ts'

/** The port of the page that a worker said it has. */
export async function metricsPort(worker: RunningCommand): Promise<number> {
  const said = await worker.until(/^Metrics +\S+:\d+\/metrics$/m)
  return Number(/^Metrics +\S+:(\d+)\//m.exec(said)?.[1])
}

/** The values of the page, by name and labels, without what all of them begin with. */
export async function figuresOf(port: number): Promise<Readonly<Record<string, number>>> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  const text = await answer.text()
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map(line => {
      const [, name = '', value] = /^weave_fleet_([a-z_]+(?:\{[^}]*\})?) (\S+)$/.exec(line) ?? []
      return [name === '' ? `not a figure: ${line}` : name, Number(value)]
    }),
  )
}
