import { CommandProblem } from '../../app/command-problem.ts'
import type { SystemAnswer } from '../../console-api/contract.ts'
import { dollarText } from '../../core/money/money.ts'
import { plural } from '../../core/text/plural.ts'
import type { CommandCall } from '../command.ts'
import { describeLeftovers } from '../describe-leftovers.ts'
import type { RemoteTarget } from '../gateway/remote-target.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { describeStop } from '../render-audit.ts'
import { judgeAge } from './check-backup.ts'
import { compareClocks } from './check-clock.ts'
import { describeFailing } from './check-secrets.ts'
import { type DoctorFinding, fail, ok, warn } from './finding.ts'

/** Records that wait longer than this for the database count as stuck. */
const unshippedWarnMs = 60_000
/** A token that expires within this time should be replaced. */
const tokenEndsSoonMs = 14 * 24 * 60 * 60_000

/** Checks of a remote gateway: the connection, the token, and the gateway's own report. */
export async function examineRemote(
  target: RemoteTarget,
  call: CommandCall,
): Promise<DoctorFinding[]> {
  const { context } = call
  const startMs = context.nowMs()
  try {
    const system = await withGateway(call, (gateway) => gateway.call('GET /operate/system', {}))
    const tookMs = context.nowMs() - startMs
    return [
      ok('gateway', `${target.url} answers (${tookMs} ms)`),
      checkWay(target),
      checkVersion(system, context.version),
      // The gateway read its clock about halfway through the request.
      compareClocks(startMs + tookMs / 2, system.now, 'the gateway'),
      ...checkToken(system),
      ok(
        'database',
        `${system.database.kind}, ${plural(system.database.migrations.length, 'migration')}`,
      ),
      ...checkProcesses(system),
      ...checkJournal(system),
      ...checkAccounts(system),
      ...(system.lastBackupAt === null ? [] : [judgeAge(system.now - system.lastBackupAt)]),
      ...describeFailing(
        system.failingSecrets.map(({ since, ...each }) => ({ ...each, sinceMs: since })),
      ),
      ...checkProxy(system),
    ]
  } catch (error) {
    if (!(error instanceof CommandProblem)) throw error
    return [fail('gateway', error.message)]
  }
}

function checkWay({ url, ca }: RemoteTarget): DoctorFinding {
  if (url.startsWith('https:')) {
    const by = ca === undefined ? '' : ' by --ca-file or the default roots'
    return ok('tls', `the certificate is trusted${by}`)
  }
  const { hostname } = new URL(url)
  const isHere = hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]'
  return isHere
    ? ok('tls', 'not used, and not needed: the gateway is on this machine')
    : warn('tls', 'not used: others can read the token in transit; put TLS in front of the gateway')
}

function checkVersion({ version }: SystemAnswer, own: string): DoctorFinding {
  return version === own
    ? ok('version', version)
    : warn('version', `the gateway is ${version} and this command ${own}; use the same version`)
}

function checkToken({ token, now }: SystemAnswer): DoctorFinding[] {
  if (!token) return []
  const what = `"${token.name}" (${token.id}) has the scope ${token.scopes.join(', ')}`
  if (token.expiresAt === null) return [ok('token', `${what}, and never expires`)]
  const ends = new Date(token.expiresAt).toISOString()
  return token.expiresAt - now < tokenEndsSoonMs
    ? [warn('token', `${what}, and expires ${ends}; create a new one before that`)]
    : [ok('token', `${what}, and expires ${ends}`)]
}

function checkProcesses({ replicas }: SystemAnswer): DoctorFinding[] {
  const alive = replicas.filter((each) => each.isAlive)
  const lost = replicas.filter((each) => !each.isAlive && each.leaseCount > 0)
  return [
    alive.length > 0
      ? ok('processes', `${alive.length} running`)
      : warn('processes', 'none has reported to the database recently'),
    ...lost.map(({ id, seenAt, heldNano }) =>
      warn(
        'processes',
        `${id} was last seen ${new Date(seenAt).toISOString()} and still has ${dollarText(BigInt(heldNano))} reserved; restart it on its data folder, so that it settles its requests`,
      ),
    ),
  ]
}

function checkJournal({ journal, now }: SystemAnswer): DoctorFinding[] {
  const findings: DoctorFinding[] = []
  if (journal.notAdmitting !== null) {
    findings.push(fail('journal', `requests are not admitted now: ${journal.notAdmitting}`))
  }
  if (journal.unshippedSince !== null && now - journal.unshippedSince > unshippedWarnMs) {
    const since = new Date(journal.unshippedSince).toISOString()
    findings.push(
      warn(
        'journal',
        `${plural(journal.unshipped, 'record')} waiting for the database since ${since}; check the connection from the gateway to the database`,
      ),
    )
  }
  findings.push(...describeLeftovers(journal).map((sentence) => fail('journal', sentence)))
  return findings.length > 0
    ? findings
    : [ok('journal', `${plural(journal.unshipped, 'record')} on the way to the database`)]
}

function checkAccounts({ selfAudit }: SystemAnswer): DoctorFinding[] {
  const stopped = selfAudit.stops.filter(({ isReleased }) => !isReleased)
  if (stopped.length > 0) return stopped.map((stop) => fail('ledger', describeStop(stop)))
  const { lastAt } = selfAudit
  const when = lastAt === null ? 'not run yet' : `last ${new Date(lastAt).toISOString()}`
  return [ok('ledger', `the self-audit has stopped no account (${when})`)]
}

function checkProxy({ proxy }: SystemAnswer): DoctorFinding[] {
  switch (proxy.verdict) {
    case 'untrusted-proxy':
      return [
        warn(
          'proxy',
          `requests come through ${proxy.peer}, which is not in trustedProxies, so all clients appear to have that address; add it`,
        ),
      ]
    case 'trusts-all':
      return [
        warn(
          'proxy',
          'trustedProxies contains every address, so any client can forge its address; list only your proxies',
        ),
      ]
    case 'direct':
    case 'proxied':
      return [ok('proxy', `the gateway sees your address as ${proxy.address}`)]
  }
}
