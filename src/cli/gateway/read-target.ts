import { tokenVariable, urlVariable } from '../../config/remote-variables.ts'
import { adminRoot, consoleRoot } from '../../console-api/root-paths.ts'
import type { CliContext } from '../command.ts'
import { readFileOf, readGivenFile } from '../read-given-file.ts'
import { UsageProblem } from '../usage-problem.ts'
import type { RemoteTarget } from './remote-target.ts'

interface Given {
  text(option: string): string | undefined
  isOn(option: string): boolean
}

/** The gateway that the command line or the environment names; undefined for this machine. */
export async function readTarget(
  given: Given,
  context: CliContext,
): Promise<RemoteTarget | undefined> {
  const typed = given.text('url')
  const named = typed ?? context.env[urlVariable]
  if (named === undefined || (typed === undefined && named === '')) {
    const [unexpected] = ['token-file', 'ca-file'].filter((flag) => given.text(flag) !== undefined)
    const flag = unexpected ?? (given.isOn('insecure') ? 'insecure' : undefined)
    if (flag !== undefined) throw new UsageProblem(`--${flag} needs --url.`)
    return undefined
  }
  const url = readUrl(named, typed === undefined ? urlVariable : '--url')
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    if (!given.isOn('insecure')) {
      throw new UsageProblem(
        `http:// would send the token to ${url.host} where others may read it; use https://, or pass --insecure if the network is safe.`,
      )
    }
    context.stderr(`tollgate: The token goes to ${url.host} without encryption.\n`)
  }
  const caFile = given.text('ca-file')
  const ca = caFile === undefined ? undefined : readFileOf(context, '--ca-file', caFile)
  return { url: baseOf(url), token: await readToken(given, context), ca }
}

function readUrl(text: string, where: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb) {
    throw new UsageProblem(`${where} must be a URL such as https://models.example.com.`)
  }
  // URLs appear in process lists, shell histories and logs.
  if (url.username !== '' || url.password !== '') {
    throw new UsageProblem(
      `${where} must not contain a user or password; use ${tokenVariable} instead.`,
    )
  }
  if (url.search !== '' || url.hash !== '') {
    throw new UsageProblem(`${where} must end with the host or a path, without ? and #.`)
  }
  return url
}

/** Also accepts the URL of the admin API or of the console. */
function baseOf({ origin, pathname }: URL): string {
  const path = pathname.replace(/\/+$/, '')
  const end = [adminRoot, consoleRoot].find((each) => path.endsWith(each))
  return origin + (end === undefined ? path : path.slice(0, -end.length))
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  )
}

async function readToken(given: Given, context: CliContext): Promise<string> {
  const file = given.text('token-file')
  const text =
    file === undefined
      ? context.env[tokenVariable]
      : await readGivenFile(context, '--token-file', file)
  const where = file === undefined ? tokenVariable : '--token-file'
  if (text === undefined || text.trim() === '') {
    throw new UsageProblem(
      file === undefined
        ? `A remote gateway requires a token: set ${tokenVariable}, or name a file with --token-file. Create one with "tollgate tokens create" on the machine of the gateway.`
        : 'The file named by --token-file is empty; write an admin API token to it.',
    )
  }
  const token = text.trim()
  // Do not show the text: it may be another secret.
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) {
    throw new UsageProblem(`${where} must contain one admin API token, such as tgat_….`)
  }
  return token
}
