/** A status by its shape; the word stands beside it or is its name. */
export function Mark({ status, label }: { readonly status: string; readonly label?: string }) {
  const shape = shapes[status] ?? 'ring'
  return (
    <svg class="mark" data-status={status} viewBox="0 0 16 16" role="img" aria-label={label ?? status}>
      {shape === 'check' && <path d="M3 8.5l3.2 3.2L13 4.8" />}
      {shape === 'cross' && <path d="M4 4l8 8M12 4l-8 8" />}
      {shape === 'play' && <path class="filled" d="M5 3.2v9.6L13 8z" />}
      {shape === 'pause' && <path d="M5.5 3.5v9M10.5 3.5v9" />}
      {shape === 'dash' && <path d="M3.5 8h9" />}
      {shape === 'stop' && <rect class="filled" x="4" y="4" width="8" height="8" rx="1" />}
      {shape === 'ring' && <circle cx="8" cy="8" r="4.6" />}
      {shape === 'loop' && <path d="M12.6 6.2A5 5 0 1 0 13 8.6M13 3v3.4H9.6" />}
    </svg>
  )
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
