import type { Observe } from '../exchange-observer.ts'

/** Two who hear the same. */
export function observeBoth(first: Observe, second: Observe): Observe {
  return (request, data) => {
    const observers = [first(request, data), second(request, data)].filter(each => each !== undefined)
    return {
      head(head) {
        for (const observer of observers) observer.head?.(head)
      },
      data(bytes) {
        for (const observer of observers) observer.data?.(bytes)
      },
      end(ending) {
        for (const observer of observers) observer.end(ending)
      },
    }
  }
}
