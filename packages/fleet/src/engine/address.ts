import { FleetFault } from '../fault.ts'

const nearHosts = new Set(['', 'localhost', '127.0.0.1', '::1', '[::1]'])

/**
 * The address of an engine with `sslmode=verify-full`, unless it is on this machine: passwords, epochs and money go over
 * this wire. Anything less takes a person who says so. Never repeats the address: it may hold a password.
 */
export function checkedAddress(url: string, { isInsecure }: { readonly isInsecure: boolean }): string {
  const parsed = parse(url)
  const socket = parsed.searchParams.get('host')
  if (nearHosts.has(parsed.hostname) || socket?.startsWith('/') || isInsecure) return url
  const mode = parsed.searchParams.get('sslmode')
  if (mode === 'verify-full') return url
  if (mode !== null || parsed.searchParams.has('ssl'))
    throw new FleetFault('FLEET_UNREACHABLE', {
      message: 'The engine of the fleet is on another machine, and its certificate is not to be checked.',
      cure: 'Say sslmode=verify-full in its address, with sslrootcert=<file> for a certificate of your own; or --insecure-engine.',
    })
  parsed.searchParams.set('sslmode', 'verify-full')
  return parsed.href
}

function parse(url: string): URL {
  try {
    const parsed = new URL(url)
    if (parsed.protocol === 'postgres:' || parsed.protocol === 'postgresql:') return parsed
  } catch {
    // Said below: an address that is none may hold a password, too.
  }
  throw new FleetFault('FLEET_UNREACHABLE', {
    message: 'The address of the engine is not one of a PostgreSQL.',
    cure: 'Write postgres://user@host/database.',
  })
}
