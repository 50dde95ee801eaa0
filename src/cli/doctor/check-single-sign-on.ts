import { discoverProvider } from '../../app/open-id/discover-provider.ts'
import type { Config } from '../../config/config.ts'
import type { OpenIdConfig } from '../../config/open-id-settings.ts'
import { errorLine } from '../../outbox/message.ts'
import type { Engine } from '../../store/engine.ts'
import { knownIds } from '../../store/rows/known-ids.ts'
import { type DoctorFinding, fail, ok, warn } from './finding.ts'

const topic = 'single sign-on'
const timeoutSeconds = 5

/** Reads the provider's description, without a sign-in, and looks up the accounts that groups lead to. */
export async function checkSingleSignOn(
  { openId }: Pick<Config, 'openId'>,
  database: { readonly engine: Engine } | undefined,
): Promise<DoctorFinding[]> {
  if (!openId) return []
  return [
    await checkProvider(openId),
    ...(database ? await checkMappings(openId, database.engine) : []),
  ]
}

async function checkProvider(openId: OpenIdConfig): Promise<DoctorFinding> {
  const { issuer, reauthentication } = openId
  try {
    const provider = await discoverProvider(() => openId, timeoutSeconds)()
    const { claims_supported: claims } = provider.serverMetadata()
    if (reauthentication === 'required' && claims && !claims.includes('auth_time'))
      return warn(
        topic,
        `${issuer} does not announce the claim auth_time, without which no sign-in counts as recent; let the provider send it, or set openIdReauthentication: off`,
      )
    return ok(topic, `${issuer} answers`)
  } catch (error) {
    return fail(
      topic,
      `${issuer} cannot be used (${errorLine(error)}); check openIdIssuer and the provider`,
    )
  }
}

async function checkMappings({ rules }: OpenIdConfig, { db }: Engine): Promise<DoctorFinding[]> {
  const wanted = new Set(rules.groups.map(({ account }) => account))
  const existing = await knownIds(db, 'account', wanted)
  const unknown = [...wanted].filter((id) => !existing.has(id))
  if (unknown.length === 0) return []
  return [
    warn(
      topic,
      `openIdGroups leads to accounts that do not exist (${unknown.join(', ')}), so these groups have no effect; create the accounts or correct openIdGroups`,
    ),
  ]
}
