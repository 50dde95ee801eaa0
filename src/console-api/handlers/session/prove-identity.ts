import type { ProofRequest } from '../../../accounts/definition/sign-in.ts'
import { consumeSecondFactor } from '../../../accounts/second-factor.ts'
import type { SignInFailure } from '../../access/failed-sign-ins.ts'
import { Lockout } from '../../access/sign-in-throttle.ts'
import { findDevice, hasDeviceCookie } from '../../http/device-cookie.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { RouteCall } from '../../routes/route.ts'
import { type Claimed, checkPassword, findClaimed, type KnownUser } from './check-password.ts'

/** The user to check, the name in the throttle, and the device if it is known. */
export interface IdentityClaim {
  readonly claimed: Claimed
  readonly user: string
  readonly device?: string
}

/** The claimed user, if the password and, where set up, the code of the second factor are correct. */
export async function proveIdentity(
  call: RouteCall,
  proof: ProofRequest,
  claim: IdentityClaim,
): Promise<KnownUser> {
  try {
    return await checkIdentity(call, proof, claim)
  } catch (error) {
    const failure = failureOf(error)
    const { address, requestId } = call.context
    if (failure !== undefined) {
      const tried = { claimed: claim.claimed, name: claim.user, failure, address }
      await call.failures.note(tried, requestId)
    }
    throw error
  }
}

function failureOf(error: unknown): SignInFailure | undefined {
  if (error instanceof Lockout) return 'locked'
  if (!(error instanceof ApiRefusal)) return undefined
  if (error.code === 'wrong_credentials') return 'password'
  return error.code === 'wrong_code' ? 'code' : undefined
}

async function checkIdentity(
  call: RouteCall,
  { password, code }: ProofRequest,
  claim: IdentityClaim,
): Promise<KnownUser> {
  const { deps, throttle, context } = call
  const { engine, vault, clock } = deps
  const tools = { vault, nowMs: clock.nowMs() }
  const device = claim.device ?? (await deviceOf(call, claim.claimed))
  let isCodeWrong = false
  const user = await throttle.attempt(
    { address: context.address, user: claim.user, device },
    async () => {
      const found = await throttle.inTurn('hashing', device !== undefined, () =>
        checkPassword(engine, claim.claimed, password),
      )
      if (!found?.hasTotp || code === undefined) return found
      if (await consumeSecondFactor(engine, tools, found.id, code)) return found
      isCodeWrong = true
      return undefined
    },
  )
  if (isCodeWrong)
    throw new ApiRefusal('wrong_code', 'The code is wrong or was already used.', { field: 'code' })
  if (!user) throw wrongPassword()
  if (user.hasTotp && code === undefined) {
    throw new ApiRefusal('code_needed', 'Enter the code from your authenticator app.')
  }
  return user
}

export function wrongPassword(): ApiRefusal {
  return new ApiRefusal('wrong_credentials', 'Wrong email or password.', { field: 'password' })
}

/** The device of this request, if it is known to the claimed user. */
export async function deviceOf(
  { deps, request }: RouteCall,
  claimed: Claimed,
): Promise<string | undefined> {
  if (!hasDeviceCookie(request)) return undefined
  const user = await findClaimed(deps.engine, claimed)
  if (!user?.password_hash) return undefined
  const { vault, clock } = deps
  const owner = { id: user.id, passwordHash: user.password_hash }
  return findDevice(request, owner, { vault, nowMs: clock.nowMs() })
}
