import { run } from '../kit/index.ts'
import type { CommandTarget } from './config.ts'
import type { Delivered, OpenedChannel } from './deliver.ts'
import { type NoticeBody, textOf } from './notice.ts'

type Environment = Readonly<Record<string, string | undefined>>

const defaultSeconds = 10

/** A person's own program, without a shell, in a group of its own that is ended with it. */
export function openCommand(target: CommandTarget, environment: Environment): OpenedChannel {
  const [program = '', ...args] = target.run
  const seconds = target.timeoutSeconds ?? defaultSeconds
  const deliver = async (_: unknown, body: NoticeBody, signal: AbortSignal): Promise<Delivered> => {
    const { type, data } = body
    return runToEnd(program, args, {
      input: JSON.stringify(body),
      env: { ...environment, WEAVE_NOTIFY_TYPE: type, WEAVE_NOTIFY_EXECUTION: String(data['execution']) },
      timeoutMs: seconds * 1000,
      signal,
    })
  }
  return { ok: true, channel: { name: `command ${program}`, deliver } }
}

interface Running {
  readonly input?: string
  readonly env: Environment
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

async function runToEnd(program: string, args: readonly string[], options: Running): Promise<Delivered> {
  const { outcome, code, signal, error, stopped, stderr } = await run(program, args, {
    ...options,
    graceMs: 1_000,
    maxCaptureBytes: 4_096,
  })
  if (outcome === 'exited' && code === 0) return { ok: true }
  if (options.signal.aborted) return { ok: false, message: 'it was cut short', retriable: true }
  const words = stderr.trim().split('\n').at(-1) ?? ''
  const how =
    error?.message ??
    (stopped ? `no end within ${options.timeoutMs / 1000} s` : `it ended with ${code ?? signal}`)
  return { ok: false, message: words === '' ? how : `${how}: ${words.slice(0, 200)}`, retriable: false }
}

/** How each system is asked for a notification: what is told comes as arguments, never as a program. */
const desktops: Readonly<Record<string, (title: string, text: string) => readonly string[]>> = {
  linux: (title, text) => ['notify-send', '--app-name=weave', '--', title, text],
  darwin: (title, text) => [
    'osascript',
    '-e',
    'on run argv',
    '-e',
    'display notification (item 2 of argv) with title (item 1 of argv)',
    '-e',
    'end run',
    '--',
    title,
    text,
  ],
  win32: () => ['powershell', '-NoProfile', '-NonInteractive', '-Command', toast],
}

/** Reads its words from the environment, so that none of them is taken for a program. */
const toast = [
  '$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]',
  '$template = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent(1)',
  "$texts = $template.GetElementsByTagName('text')",
  '$null = $texts.Item(0).AppendChild($template.CreateTextNode($env:WEAVE_NOTIFY_TITLE))',
  '$null = $texts.Item(1).AppendChild($template.CreateTextNode($env:WEAVE_NOTIFY_TEXT))',
  "[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier('weave').Show([Windows.UI.Notifications.ToastNotification]::new($template))",
].join('; ')

export interface DesktopOptions {
  readonly platform: string
  readonly environment: Environment
  /** Whether a program is there. */
  readonly isThere: (program: string) => boolean
}

export function openDesktop({ platform, environment, isThere }: DesktopOptions): OpenedChannel {
  const words = desktops[platform]
  const [program] = words?.('', '') ?? []
  const name = 'desktop'
  if (!words || program === undefined)
    return { ok: false, name, message: `there is no way to notify on ${platform}` }
  if (!isThere(program)) return { ok: false, name, message: `${program} is not installed` }
  const deliver = async (_: unknown, body: NoticeBody, signal: AbortSignal): Promise<Delivered> => {
    const { title, text } = textOf(body)
    const [command = '', ...args] = words(plain(title), plain(text))
    const env = { ...environment, WEAVE_NOTIFY_TITLE: plain(title), WEAVE_NOTIFY_TEXT: plain(text) }
    return runToEnd(command, args, { env, timeoutMs: defaultSeconds * 1000, signal })
  }
  return { ok: true, channel: { name, deliver } }
}

function plain(text: string): string {
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ')
}
