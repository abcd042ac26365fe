import { harmless } from 'weave-client'

export type Child = Node | string | number | undefined | false
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * An element with attributes and children. Text becomes a text node and is made harmless first: nothing that comes from an
 * agent is ever read as markup, and nothing invisible stays so. `true` sets an attribute without a value.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[Tag] {
  return filled(document.createElement(tag), attributes, children)
}

/** The same for a part of a drawing. */
export function drawing<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  children: readonly Child[] = [],
): SVGElementTagNameMap[Tag] {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
}

/** Places an element by custom properties; the policy of the page forbids style attributes. */
export function placed<E extends HTMLElement>(target: E, properties: Readonly<Record<string, string>>): E {
  for (const [name, value] of Object.entries(properties)) target.style.setProperty(name, value)
  return target
}

function filled<E extends Element>(target: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    target.setAttribute(name, value === true ? '' : harmless(String(value)))
  }
  for (const child of children) {
    if (child === undefined || child === false) continue
    target.append(child instanceof Node ? child : harmless(String(child)))
  }
  return target
}
