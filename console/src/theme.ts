import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

/** System fonts only, including Chinese ones, so that the page loads nothing from another host. */
const sansFonts =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"
const monospaceFonts =
  "ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'Liberation Mono', 'Noto Sans Mono', 'PingFang SC', 'Microsoft YaHei', monospace"

const petrol: MantineColorsTuple = [
  '#e8f6f8',
  '#d2eaee',
  '#a6d5dd',
  '#77bfcb',
  '#51adbc',
  '#38a0b1',
  '#2796a8',
  '#158093',
  '#0b7285',
  '#075e6e',
]

export const theme = createTheme({
  colors: { petrol },
  primaryColor: 'petrol',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: sansFonts,
  fontFamilyMonospace: monospaceFonts,
  headings: { fontFamily: sansFonts, fontWeight: '600' },
  components: {
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    // A truncated badge is unreadable, so a badge keeps its width and the column shrinks.
    Badge: {
      defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500, miw: 'max-content' },
    },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.35 } } },
    Modal: {
      defaultProps: { overlayProps: { backgroundOpacity: 0.35 }, centered: true },
      classNames: { title: 'panel-title' },
    },
    MultiSelect: { defaultProps: { comboboxProps: { shadow: 'md' } } },
    Menu: { defaultProps: { shadow: 'md' } },
    NumberInput: { defaultProps: { thousandSeparator: ',' } },
  },
})

const tinted = ['gray', 'red', 'orange', 'yellow', 'teal', 'green', 'blue', 'violet', 'petrol']

/** The library's dimmed colours have too little contrast. These reach 4.5:1. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b646e',
    '--mantine-color-placeholder': '#6b747d',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-orange-light-color': '#a83a00',
    '--mantine-color-orange-text': '#b04400',
    '--mantine-color-teal-light-color': '#066649',
    '--mantine-color-teal-text': '#077a58',
    '--mantine-color-yellow-light-color': '#8a4b00',
    '--mantine-color-red-light-color': '#b02020',
    '--mantine-color-red-text': '#c92a2a',
    '--mantine-color-gray-light-color': '#495057',
    '--mantine-color-petrol-light-color': '#075e6e',
  },
  dark: {
    '--mantine-color-dimmed': '#a3a8ae',
    '--mantine-color-placeholder': '#999fa5',
    '--combobox-chevron-color': '#999fa5',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-gray-light': 'rgba(255, 255, 255, 0.09)',
    '--mantine-color-gray-light-hover': 'rgba(255, 255, 255, 0.13)',
    ...Object.fromEntries(
      tinted.flatMap((color) => [
        [`--mantine-color-${color}-light-color`, `var(--mantine-color-${color}-2)`],
        [`--mantine-color-${color}-text`, `var(--mantine-color-${color}-3)`],
      ]),
    ),
  },
})
