import { type NamedCheckpoint, nameCheckpoint } from '../at-rest/index.ts'
import { readVersions, type VersionReader } from '../checkpoint/index.ts'
import { type Refused, type Result, systemClock } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { createFollower, type Followed, type Follower } from './follower.ts'
import { type NamedPlace, type ReadRefusal, refused, type Sink } from './job.ts'

/** An execution with its plan, state and versions. */
export interface OpenPlace {
  readonly followed: Followed
  readonly plan: Plan
  readonly versions: VersionReader
  /** What a person means by the name of a checkpoint. */
  named(text: string): Promise<NamedCheckpoint>
}

const mostFollowed = 20

/** The executions that somebody looks at: what was read of them is kept, those looked at last. */
export type Followers = ReturnType<typeof createFollowers>

export function createFollowers() {
  const kept = new Map<string, Follower>()
  const follow = ({ dir }: NamedPlace): Follower => {
    const follower = kept.get(dir) ?? createFollower(dir)
    kept.delete(dir)
    kept.set(dir, follower)
    const [oldest] = kept.keys()
    if (kept.size > mostFollowed && oldest !== undefined) kept.delete(oldest)
    return follower
  }
  return {
    follow,
    async open(place: NamedPlace, sink: Sink): Promise<Result<{ readonly open: OpenPlace }, ReadRefusal>> {
      const follower = follow(place)
      const followed = await follower.look(sink)
      const plan = await follower.plan()
      if (!plan) return notBegun(place)
      const { checkpoints: gitDir } = follower.layout
      const versions = readVersions({ gitDir, environment: process.env, clock: systemClock })
      const named = async (text: string): Promise<NamedCheckpoint> =>
        nameCheckpoint(text, { plan, state: followed.state, safeties: await versions.safeties() })
      return { ok: true, open: { followed, plan, versions, named } }
    },
  }
}

export function notBegun({ name }: NamedPlace): Refused<ReadRefusal> {
  return refused('NOT_BEGUN', `${name} has not begun: it has no plan yet.`)
}
