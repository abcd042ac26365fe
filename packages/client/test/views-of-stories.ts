import type { ServerEvent } from '@weave/protocol'
import { reduceView } from '../src/view.ts'
import { emptyView, type View } from '../src/view-model.ts'
import { type Story, story } from './story.ts'

export function viewOf(events: readonly ServerEvent[], from: View = emptyView): View {
  return events.reduce(reduceView, from)
}

/** The view of a story. */
export function told(tell: (story: Story) => void): View {
  const one = story()
  tell(one)
  return viewOf(one.events)
}
