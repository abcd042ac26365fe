import type { CommandRow } from './command-row.ts'

/** TABLE of the programs that this one is besides itself: processes and threads that it starts, none for people. */
export const processCommands: Readonly<Record<string, CommandRow>> = {
  'agent-worker': {
    usage: 'weave agent-worker [home]',
    summary: 'the process in which an agent works',
    flags: [],
    hidden: true,
    load: async () => (await import('./agent-worker.ts')).agentWorkerCommand,
  },
  'terminal-face': {
    usage: 'weave terminal-face',
    summary: 'the process in which the terminal UI of a run works',
    flags: [],
    hidden: true,
    load: async () => (await import('./terminal-ui.ts')).terminalUiCommand,
  },
  'sentinel-sandbox': {
    usage: 'weave sentinel-sandbox',
    summary: 'the thread in which templates of sentinels are computed',
    flags: [],
    hidden: true,
    load: async () => (await import('./sentinel-sandbox.ts')).sentinelSandboxCommand,
  },
  'traces-thread': {
    usage: 'weave traces-thread',
    summary: 'the thread that sends spans of a run',
    flags: [],
    hidden: true,
    load: async () => (await import('./traces-thread.ts')).tracesThreadCommand,
  },
  warden: {
    usage: 'weave warden',
    summary: 'the process that ends what a killed server left behind',
    flags: [],
    hidden: true,
    load: async () => (await import('./warden.ts')).wardenCommand,
  },
  'dashboard-reader': {
    usage: 'weave dashboard-reader',
    summary: 'the thread in which the host of a page reads executions',
    flags: [],
    hidden: true,
    load: async () => (await import('./web/reader-thread.ts')).dashboardReaderCommand,
  },
}
