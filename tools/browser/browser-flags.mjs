/**
 * No sandbox, because tests may run as root in a container; nothing that calls home. No page lives long enough to earn
 * back what the optimizing compilers take, which is a fifth of the processor time.
 */
export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--js-flags=--no-maglev,--no-turbofan',
]
