import { type ComponentChildren, options, type VNode } from 'preact'
import { harmless } from 'weave-client'

/** Attributes that a person reads. What a field holds is not among them: it is the person's own. */
const readAttributes = ['title', 'aria-label', 'aria-description', 'alt', 'placeholder', 'label', 'summary']

/**
 * Every text of every element goes through `harmless` when the element is made, whoever wrote it: no panel has to think of
 * it, and none can forget it.
 */
export function installHarmlessText(): void {
  const before = options.vnode
  options.vnode = (node: VNode): void => {
    if (typeof node.type === 'string') cleanse(node.props)
    before?.(node)
  }
}

function cleanse(props: Record<string, unknown>): void {
  if (props['children'] !== undefined) props['children'] = cleansed(props['children'] as ComponentChildren)
  for (const name of readAttributes) {
    const value = props[name]
    if (typeof value === 'string') props[name] = harmless(value)
  }
}

function cleansed(child: ComponentChildren): ComponentChildren {
  if (typeof child === 'string') return harmless(child)
  return Array.isArray(child) ? child.map((each: ComponentChildren) => cleansed(each)) : child
}
