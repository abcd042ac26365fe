import type { Header } from './header.ts'

/** A first line and headers as they go over the wire, to be written as latin1: one byte for each character. */
export function headText(first: string, headers: readonly Pick<Header, 'name' | 'value'>[]): string {
  let text = `${first}\r\n`
  for (const { name, value } of headers) text += `${name}: ${value}\r\n`
  return `${text}\r\n`
}
