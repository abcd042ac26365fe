/** Makes a title fit for an address. */
export function slug(title) {
  return title
}
