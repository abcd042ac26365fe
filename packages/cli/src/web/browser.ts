import { spawn } from 'node:child_process'
import { hostname, userInfo } from 'node:os'

type Environment = Readonly<Record<string, string | undefined>>

/** Where a person sits. */
export interface Seat {
  readonly environment: Environment
  readonly platform: NodeJS.Platform
}

export const thisSeat: Seat = { environment: process.env, platform: process.platform }

export function isOverSsh({ environment }: Seat): boolean {
  return Boolean(environment['SSH_CONNECTION'] || environment['SSH_TTY'])
}

/** Whether a browser can be seen where this runs. */
export function hasBrowser(seat: Seat): boolean {
  const { environment, platform } = seat
  if (environment['BROWSER']) return true
  if (isOverSsh(seat)) return false
  if (platform !== 'linux') return platform === 'darwin' || platform === 'win32'
  return Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY'])
}

/** A program and its words; no shell reads the address. Pure. */
export function browserCommand(
  url: string,
  { environment, platform }: Seat,
): { readonly command: string; readonly args: readonly string[] } {
  const [command = '', ...words] = (environment['BROWSER'] ?? '').split(' ').filter(Boolean)
  if (command !== '') {
    const args = words.map(word => word.replaceAll('%s', url))
    return { command, args: words.some(word => word.includes('%s')) ? args : [...args, url] }
  }
  if (platform === 'darwin') return { command: 'open', args: [url] }
  if (platform === 'win32') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler', url] }
  return { command: 'xdg-open', args: [url] }
}

/** Whether it could be started. Never rejects. */
export function openBrowser(url: string, seat: Seat = thisSeat): Promise<boolean> {
  const { command, args } = browserCommand(url, seat)
  return new Promise(resolve => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}

/** For a person whose browser is on another machine: the same port at both ends, since `Host` is compared. */
export function sshLine(port: number): string {
  return `ssh -L ${port}:localhost:${port} ${userInfo().username}@${hostname()}`
}
