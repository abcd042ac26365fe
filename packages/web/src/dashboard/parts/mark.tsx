/** A status by its shape; beside a word that says the same (`label` is empty) it has no name. */
export function Mark({ status, label = status }: { readonly status: string; readonly label?: string }) {
  const drawing = <Shape shape={shapes[status] ?? 'ring'} />
  if (label === '')
    return (
      <svg class="mark" data-status={status} viewBox="0 0 16 16" aria-hidden="true">
        {drawing}
      </svg>
    )
  return (
    <svg class="mark" data-status={status} viewBox="0 0 16 16" role="img" aria-label={label}>
      {drawing}
    </svg>
  )
}

function Shape({ shape }: { readonly shape: string }) {
  switch (shape) {
    case 'check':
      return <path d="M3 8.5l3.2 3.2L13 4.8" />
    case 'cross':
      return <path d="M4 4l8 8M12 4l-8 8" />
    case 'play':
      return <path class="filled" d="M5 3.2v9.6L13 8z" />
    case 'pause':
      return <path d="M5.5 3.5v9M10.5 3.5v9" />
    case 'dash':
      return <path d="M3.5 8h9" />
    case 'stop':
      return <rect class="filled" x="4" y="4" width="8" height="8" rx="1" />
    case 'loop':
      return <path d="M12.6 6.2A5 5 0 1 0 13 8.6M13 3v3.4H9.6" />
    default:
      return <circle cx="8" cy="8" r="4.6" />
  }
}

const shapes: Readonly<Record<string, string>> = {
  completed: 'check',
  approved: 'check',
  failed: 'cross',
  crashed: 'cross',
  unreadable: 'cross',
  rejected: 'cross',
  expired: 'cross',
  running: 'play',
  preparing: 'play',
  starting: 'play',
  initializing: 'play',
  'completing-sentinels': 'play',
  waits: 'pause',
  idle: 'pause',
  parked: 'pause',
  skipped: 'dash',
  withdrawn: 'dash',
  bypassed: 'dash',
  stopped: 'stop',
  loop: 'loop',
}

export function StatusPill({ status, words }: { readonly status: string; readonly words: string }) {
  return (
    <span class="pill" data-status={status}>
      <Mark status={status} label="" />
      {words}
    </span>
  )
}
