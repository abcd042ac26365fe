/**
 * What a function gives that can be refused for reasons that a person should read. `Good` and `Bad` are the fields besides
 * `ok`; the message is a whole sentence or the end of one, as the function says.
 */
export type Result<Good extends object = object, Bad extends object = { readonly message: string }> =
  | ({ readonly ok: true } & Good)
  | Refused<Bad>

export type Refused<Bad extends object = { readonly message: string }> = { readonly ok: false } & Bad
