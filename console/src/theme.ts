import { createTheme } from '@mantine/core'

/** Fonts are those of the reader's machine, Chinese ones included: nothing is fetched from elsewhere. */
const sansFonts =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"

export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: { light: 8, dark: 7 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: sansFonts,
  headings: { fontFamily: sansFonts, fontWeight: '600' },
  components: {
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    // A badge is one word; cut off it says nothing, so it keeps its width and the column gives way.
    Badge: {
      defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500, miw: 'max-content' },
    },
  },
})
