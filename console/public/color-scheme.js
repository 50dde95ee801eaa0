// Runs before the first paint, so that a page in the dark does not flash white. It is a file of its own because
// the content-security policy allows no inline script. The key is the component library's own.
;(() => {
  const kept = localStorage.getItem('mantine-color-scheme-value')
  const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches
  const scheme = kept === 'light' || kept === 'dark' ? kept : prefersDark ? 'dark' : 'light'
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
})()
