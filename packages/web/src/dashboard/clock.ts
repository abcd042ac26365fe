import { signal } from '@preact/signals'

/** The time, once a second while the page is in sight: for what is still going on. */
export const now = signal(Date.now())

export function startClock(page: Document): void {
  let timer: ReturnType<typeof setInterval> | undefined
  const turn = (): void => {
    clearInterval(timer)
    timer = undefined
    if (page.hidden) return
    now.value = Date.now()
    timer = setInterval(() => {
      now.value = Date.now()
    }, 1_000)
  }
  page.addEventListener('visibilitychange', turn)
  turn()
}
