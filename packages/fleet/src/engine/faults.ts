import { FleetFault } from '../fault.ts'

const gone = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  // Shutting down, crashed, starting up.
  '57P01',
  '57P02',
  '57P03',
])

/** `insufficient_privilege`. */
const notAllowed = '42501'

/** What an error of the driver means for who gave a command; undefined: it is a mistake of this program. */
export function faultOf(error: unknown): FleetFault | undefined {
  if (error instanceof FleetFault) return error
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  if (code === notAllowed)
    return new FleetFault('FLEET_ROLE', {
      message: `This login may not do that: ${error.message}.`,
      cure: 'Use a login with another role: weave_submit gives orders, weave_view looks, weave_worker works.',
    })
  // The socket of an engine of our own is a file.
  const isSocketGone = code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect'
  const isGone =
    isSocketGone ||
    gone.has(code) ||
    code.startsWith('08') ||
    /^(Connection terminated|timeout exceeded)/.test(error.message)
  if (!isGone) return undefined
  return new FleetFault('FLEET_UNREACHABLE', {
    message: 'The engine of the fleet has gone away.',
    cure: 'What is queued is in its tables. See to the server, then give the command again.',
  })
}
