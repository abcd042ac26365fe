import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Notice } from './parts/small.tsx'

/** A component whose code is fetched when it is first shown. */
export function lazyPanel<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [Shown, setShown] = useState<ComponentType<Props> | undefined>(() => loaded)
    const [problem, setProblem] = useState(false)
    useEffect(() => {
      if (loaded) return
      load().then(
        found => {
          loaded = found
          setShown(() => found)
        },
        () => setProblem(true),
      )
    }, [])
    if (problem)
      return (
        <Notice kind="problem">
          This part of the page could not be loaded. Is the program still running?
        </Notice>
      )
    return Shown ? <Shown {...props} /> : <Notice>Loading …</Notice>
  }
}
