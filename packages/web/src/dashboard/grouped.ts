/**
 * `1,204`. By hand: the first use of a browser's own number and date formats loads its tables of languages, which takes as
 * long as drawing the page does.
 */
export function grouped(count: number): string {
  const [whole = '', part] = String(count).split('.')
  const text = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return part === undefined ? text : `${text}.${part}`
}
