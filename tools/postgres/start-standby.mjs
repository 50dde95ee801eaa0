import { appendFileSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchOnFreePort, launchServer } from './launch-server.mjs'
import { reachableBinaries } from './reachable-binaries.mjs'
import { runAs } from './run-as.mjs'
import { serverAccount } from './server-account.mjs'
import { makeServerFolder } from './server-folder.mjs'
import { stopServer } from './stop-server.mjs'
import { waitUntilReady } from './wait-until-ready.mjs'

/**
 * Starts a stopped server again, and a copy that follows it and only reads until it is promoted. Copies the files,
 * because not every source of Postgres has the program pg_basebackup.
 * @param {import('./system-binaries.mjs').PostgresBinaries} binaries
 * @param {{ url: string, folder: string, startAgain: () => Promise<void> }} primary
 * @returns {Promise<{ url: string, folder: string, startAgain: () => Promise<void>, stop: () => Promise<void> }>}
 */
export async function startStandby({ folder: givenFolder }, primary) {
  const account = serverAccount()
  const folder = makeServerFolder(account)
  const stop = () => stopServer(folder)
  try {
    const binaries = reachableBinaries(givenFolder, folder, account)
    const data = join(folder, 'data')
    await runAs('/bin/cp', ['-a', join(primary.folder, 'data'), data], { cwd: folder, ...account })
    const signal = join(data, 'standby.signal')
    writeFileSync(signal, '')
    if (account.uid !== undefined && account.gid !== undefined)
      chownSync(signal, account.uid, account.gid)
    const { hostname, port, username, password } = new URL(primary.url)
    const target = `host=${hostname} port=${port} user=${username} password=${password}`
    appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${target}'\n`)
    await primary.startAgain()
    const url = new URL(primary.url)
    const ownPort = await launchOnFreePort(binaries, folder, account)
    url.port = String(ownPort)
    const startAgain = () =>
      waitUntilReady(folder, launchServer(binaries, folder, account, ownPort))
    return { url: url.href, folder, startAgain, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
