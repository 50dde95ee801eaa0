/**
 * The npm that started this process, if any: the user chose its version, and its script runs on this Node on every
 * system. Otherwise the npm in the PATH.
 * @returns {{ program: string, leadingArguments: readonly string[] }}
 */
export function npmCommand() {
  const script = process.env['npm_execpath']
  if (script?.endsWith('npm-cli.js'))
    return { program: process.execPath, leadingArguments: [script] }
  return process.platform === 'win32'
    ? { program: 'cmd.exe', leadingArguments: ['/d', '/s', '/c', 'npm'] }
    : { program: 'npm', leadingArguments: [] }
}
