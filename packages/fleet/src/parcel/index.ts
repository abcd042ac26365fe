/** Executions in parcels: what changed, in one immutable object, and how it is put on top of what was there. */

export type { KnownFiles } from './known-files.ts'
export { applyParcels, makeParcel, openParcel, type Parcel, parcelFormat } from './parcel.ts'
export { createPlacer, isInside } from './place.ts'
export { packTar, type TarEntry, unpackTar } from './tar.ts'
