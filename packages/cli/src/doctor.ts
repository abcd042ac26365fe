import { homedir } from 'node:os'
import { additionsOf, createRegistry, defaultUpstream, examine, loginFiles, settled } from '@weave/runtime'
import { paintMark } from './colour.ts'
import { type Arguments, settingValues } from './parse-arguments.ts'
import { type ExitCode, exitCodes, version } from './program.ts'
import { columns, type Terminal } from './terminal.ts'

const marks = { good: 'ok', poor: '!', bad: 'x' } as const

/** `weave doctor`: one line for each thing that a run needs, with the cure for what is missing. */
export async function doctorCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { settings, paths } = await settled({
    flags: settingValues(args),
    runtimeConfig: args.texts['runtime-config'],
    environment: process.env,
    workingDirectory: process.cwd(),
    home: homedir(),
  })
  const files = additionsOf({ home: homedir(), modelsFile: paths.modelsFile })
  const { registry } = await createRegistry({ additions: files })
  const findings = await examine({
    environment: process.env,
    own: [...registry.custom.values()],
    logins: loginFiles(homedir(), settings.agents),
    executionBaseDir: paths.executionBaseDir,
    port: settings.port,
    proxy: { isOn: !settings.withoutProxy, upstream: settings.vendorBaseUrl ?? defaultUpstream },
    ...(settings.otel.enabled && { otel: { names: settings.otel.names, weaveVersion: version } }),
  })
  if (args.switches.has('json')) terminal.json(JSON.stringify(findings, null, 2))
  else
    for (const line of columns(
      findings.map(({ name, verdict, detail, cure }) => [
        marks[verdict],
        name,
        cure === undefined ? detail : `${detail}. ${cure}`,
      ]),
    ))
      terminal.out(line, paintMark)
  return findings.some(({ verdict }) => verdict === 'bad') ? exitCodes.failed : exitCodes.done
}
