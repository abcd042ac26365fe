/** What can go wrong between a command and a fleet. */
export const faultCodes = [
  'FLEET_UNREACHABLE',
  'FLEET_NO_POSTGRES',
  'FLEET_SCHEMA',
  'FLEET_VERSION',
  'FLEET_ROOT',
  'FLEET_KEY',
  'FLEET_ROLE',
  'FLEET_SECRET',
  'FLEET_STORE',
  'FLEET_PARCEL',
  'FLEET_DATA',
  'FLEET_BUDGET',
  'FLEET_PRICE',
  'FLEET_LOST',
  'FLEET_METRICS',
  'FLEET_UNKNOWN',
] as const

export type FaultCode = (typeof faultCodes)[number]

/** Ends what was asked for; `message` says what is wrong, `cure` what to do. Both are for people. */
export class FleetFault extends Error {
  readonly code: FaultCode
  readonly cure: string

  constructor(code: FaultCode, words: { readonly message: string; readonly cure: string }) {
    super(words.message)
    this.name = 'FleetFault'
    this.code = code
    this.cure = words.cure
  }
}
