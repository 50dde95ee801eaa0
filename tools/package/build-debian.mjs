import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { runTool } from './run-tool.mjs'

const conffiles = ['/etc/tollgate/environment', '/etc/tollgate/tollgate.yaml']
const scripts = ['postinst', 'prerm', 'postrm']

/**
 * Builds a Debian package without root: `dpkg-deb` gives all files to root, with the time of the commit.
 * @param {import('./targets.mjs').Target} target
 * @param {{ info: import('./build-info.mjs').BuildInfo, executable: string, licenses: string, folder: string }} options
 * @returns {Promise<string>} its path
 */
export async function buildDebian(target, { info, executable, licenses, folder }) {
  const { version, epochSeconds } = info
  const stage = join(folder, `debian-${target.debian}`)
  rmSync(stage, { recursive: true, force: true })
  /** @type {(path: string, content: string | Buffer, mode?: number) => void} */
  const put = (path, content, mode = 0o644) => {
    const file = join(stage, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
    writeFileSync(file, content)
    chmodSync(file, mode)
  }
  const part = (/** @type {string} */ name) => readFileSync(join(projectRoot, 'deploy', name))
  put('usr/lib/systemd/system/tollgate.service', part('systemd/tollgate.service'))
  put('usr/lib/sysusers.d/tollgate.conf', part('debian/sysusers.conf'))
  put('etc/tollgate/tollgate.yaml', part('debian/tollgate.yaml'), 0o640)
  put('etc/tollgate/environment', part('debian/environment'), 0o600)
  put('usr/share/doc/tollgate/copyright', copyright(licenses))
  put('usr/share/doc/tollgate/README.md', readFileSync(join(projectRoot, 'README.md')))
  put(
    'usr/share/doc/tollgate/changelog.gz',
    gzipSync(readFileSync(join(projectRoot, 'CHANGELOG.md'))),
  )
  mkdirSync(join(stage, 'usr', 'bin'), { mode: 0o755 })
  copyFileSync(executable, join(stage, 'usr', 'bin', 'tollgate'))
  chmodSync(join(stage, 'usr', 'bin', 'tollgate'), 0o755)
  const files = readdirSync(stage, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(stage, name)).isFile())
    .sort()
  put('DEBIAN/md5sums', files.map((name) => `${md5Of(join(stage, name))}  ${name}\n`).join(''))
  put('DEBIAN/conffiles', conffiles.map((path) => `${path}\n`).join(''))
  put('DEBIAN/control', controlOf(target, version, sizeOf(stage, files)))
  for (const name of scripts) put(`DEBIAN/${name}`, part(`debian/${name}`), 0o755)
  setTimes(stage, epochSeconds)
  const file = join(folder, `tollgate_${version}_${target.debian}.deb`)
  const options = ['--root-owner-group', '-Zxz', '-z1', '--build', stage, file]
  await runTool('dpkg-deb', options, {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epochSeconds) },
  })
  rmSync(stage, { recursive: true })
  return file
}

/** @param {import('./targets.mjs').Target} target @param {string} version @param {number} kibibytes */
function controlOf({ debian }, version, kibibytes) {
  return `Package: tollgate
Version: ${version}
Architecture: ${debian}
Maintainer: The Tollgate developers <tollgate@localhost>
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.31)
Recommends: systemd, ca-certificates
Section: net
Priority: optional
Description: model routing gateway
 Applications call Tollgate with one API key, in the API format they already
 use, and Tollgate forwards each request to an upstream configured for that
 model, with limits and exact charges for each key.
`
}

/** @param {string} licenses */
function copyright(licenses) {
  const own =
    'Tollgate is licensed under the Apache License 2.0: /usr/share/common-licenses/Apache-2.0.'
  return `${own}\n\n${licenses}`
}

/** @param {string} file */
function md5Of(file) {
  return createHash('md5').update(readFileSync(file)).digest('hex')
}

/** @param {string} stage @param {readonly string[]} files */
function sizeOf(stage, files) {
  const bytes = files.reduce((sum, name) => sum + statSync(join(stage, name)).size, 0)
  return Math.ceil(bytes / 1024)
}

/** @param {string} stage @param {number} seconds */
function setTimes(stage, seconds) {
  const names = readdirSync(stage, { recursive: true }).map(String)
  for (const name of [...names, '.']) {
    const path = join(stage, name)
    if (statSync(path).isDirectory()) chmodSync(path, 0o755)
    utimesSync(path, seconds, seconds)
  }
}
