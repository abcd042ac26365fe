/** Executions in parcels: what changed, in one immutable object, and how it is put on top of what was there. */

export type { KnownFiles } from './known-files.ts'
export { applyParcels, makeParcel, openParcel, parcelFormat } from './parcel.ts'
export { packTar, type TarEntry, unpackTar } from './tar.ts'
