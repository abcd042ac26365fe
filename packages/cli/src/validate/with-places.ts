import type { Problem } from '@weave/runtime'

type Place = NonNullable<Problem['place']>

/** The same problem with other places: those of itself and those of its fixes. */
export function withPlaces<P extends Problem>(problem: P, change: (place: Place) => Place): P {
  const { place, end, fixes } = problem
  return {
    ...problem,
    ...(place && { place: change(place) }),
    ...(end && { end: change(end) }),
    ...(fixes && {
      fixes: fixes.map(fix => ({
        ...fix,
        edits: fix.edits.map(edit => ({ ...edit, start: change(edit.start), end: change(edit.end) })),
      })),
    }),
  }
}
