/** Executions in parcels: what changed, in one immutable object, and how it is put on top of what was there. */

export { applyParcels, openParcel } from './apply-parcel.ts'
export type { KnownFiles } from './known-files.ts'
export { makeParcel, type Parcel, type RestRules } from './make-parcel.ts'
export { parcelFormat } from './manifest.ts'
export type { LeftBehind } from './rest.ts'
export { packTar, type TarEntry, unpackTar } from './tar.ts'
