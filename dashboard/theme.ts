import {
  createTheme,
  type CSSVariablesResolver,
  defaultCssVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeComponent,
} from '@mantine/core';
import type * as core from '@mantine/core';
import { t } from '#texts';

const sans = "'IBM Plex Sans Variable', system-ui, -apple-system, 'Segoe UI', sans-serif";

const touchToo = { hover: true, focus: true, touch: true };

type Themed =
  | 'Alert'
  | 'Anchor'
  | 'Badge'
  | 'Button'
  | 'Card'
  | 'Drawer'
  | 'Menu'
  | 'Modal'
  | 'Paper'
  | 'Popover'
  | 'Select'
  | 'Table'
  | 'Tooltip';

/** What a component is given everywhere. Its own `extend` does the same, but would bring its script to every page. */
const always = <Name extends Themed>(given: Parameters<(typeof core)[Name]['extend']>[0]): MantineThemeComponent =>
  given;

/** From the lightest to the darkest. */
const shades = (hexes: string) => hexes.split(' ') as unknown as MantineColorsTuple;

/** Calm and dense: one accent, quiet greys, small radii, tabular figures. */
export const theme = createTheme({
  fontFamily: sans,
  fontFamilyMonospace: "'IBM Plex Mono', ui-monospace, Menlo, Consolas, monospace",
  headings: {
    fontFamily: sans,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  black: '#16232b',
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '16px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  colors: {
    pine: shades('#e9f6f4 #d3ebe8 #a6d6d1 #75bfb8 #4faaa2 #2f958d #1a827b #0e6b66 #0a5753 #074542'),
    gray: shades('#f6f8f9 #eef2f3 #e2e8ea #d2dadd #b8c3c8 #93a1a8 #6b7b83 #4b5a62 #33414a #1f2c34'),
    dark: shades('#d6dfe3 #b3c0c6 #93a3ab #6b7c85 #3d4c55 #2c3a43 #212d35 #19242b #121b21 #0c1318'),
  },
  components: {
    // What has the focus in it is not cut off.
    Alert: always<'Alert'>({ styles: { message: { overflow: 'visible', overflowWrap: 'anywhere' } } }),
    Anchor: always<'Anchor'>({ defaultProps: { underline: 'hover' } }),
    Badge: always<'Badge'>({
      defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500, lts: 0 },
      vars: () => ({ root: { '--badge-fz': '0.75rem' } }),
    }),
    Button: always<'Button'>({
      defaultProps: { size: 'sm' },
      // Beside a long text the text breaks; what a button says is never cut.
      styles: { root: { flexShrink: 0 } },
    }),
    Card: always<'Card'>({ defaultProps: { withBorder: true, padding: 'md' } }),
    Drawer: always<'Drawer'>({ defaultProps: { position: 'right' } }),
    // Its first entry has the focus, as the pattern of ARIA has it; the library's stand-in is no entry of a menu.
    Menu: always<'Menu'>({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: always<'Modal'>({
      defaultProps: {
        centered: true,
        closeButtonProps: { 'aria-label': t`Close` },
        // What moves into view takes keys only once it has come: the first letters would be lost.
        transitionProps: { duration: 0 },
      },
      styles: {
        // What takes the focus does not end up under the end of a form.
        content: { scrollPaddingBottom: 96 },
        // The cross stays at the top of a title of several lines, and what has the focus below it is not cut off.
        header: { alignItems: 'flex-start', marginBottom: 2 },
        title: { fontWeight: 600, lineHeight: 1.4, minWidth: 0, paddingBlock: 3, overflowWrap: 'anywhere' },
      },
    }),
    Paper: always<'Paper'>({ defaultProps: { withBorder: true } }),
    // What is still loading may push its button out of sight: a menu that is open stays.
    Popover: always<'Popover'>({ defaultProps: { hideDetached: false } }),
    Select: always<'Select'>({
      defaultProps: {
        allowDeselect: false,
        checkIconPosition: 'right',
        maxDropdownHeight: 420,
        // Enter takes the first that what is typed leaves.
        selectFirstOptionOnChange: true,
        // What is typed replaces what was chosen.
        onFocus: ({ currentTarget }) => currentTarget.select(),
      },
    }),
    Table: always<'Table'>({
      defaultProps: { verticalSpacing: 'xs', horizontalSpacing: 'md' },
      styles: {
        th: { fontSize: '0.75rem', fontWeight: 500, color: 'var(--mantine-color-dimmed)', whiteSpace: 'nowrap' },
      },
    }),
    Tooltip: always<'Tooltip'>({ defaultProps: { withArrow: true, multiline: true, maw: 320, events: touchToo } }),
  },
});

/** Text on the light tint of its colour: darker than the library's, whose yellow and green are too faint to read. */
const inkOnTint = {
  '--mantine-color-green-light-color': '#1b5e2b',
  '--mantine-color-teal-light-color': '#075e46',
  '--mantine-color-yellow-light-color': '#7a4300',
  '--mantine-color-orange-light-color': '#8f2f06',
  '--mantine-color-red-light-color': '#9b1c1c',
  '--mantine-color-blue-light-color': '#154c86',
};

/** Behind white text, which the library's own red is too faint for. */
const danger = {
  '--mantine-color-red-filled': '#c92a2a',
  '--mantine-color-red-filled-hover': '#b02525',
};

/** Tints for the dark scheme: the library's are loud for something that only marks a state. */
const quietTints = {
  '--mantine-color-green-light': '#143b24',
  '--mantine-color-teal-light': '#10393a',
  '--mantine-color-yellow-light': '#45340f',
  '--mantine-color-orange-light': '#4a2b12',
  '--mantine-color-red-light': '#4c2023',
  '--mantine-color-blue-light': '#16324d',
  '--mantine-color-gray-light': '#2c3a43',
};

/** Without a tint behind them the library writes these as white as any text, though one of them removes something. */
const inkInTheDark = {
  '--mantine-color-red-light-color': 'var(--mantine-color-red-2)',
  '--mantine-color-pine-light-color': 'var(--mantine-color-pine-2)',
};

/** Text that is quiet must still be readable: every grey used for text has a contrast of 4.5 or more. */
export const cssVariables: CSSVariablesResolver = (resolved) => {
  const { variables, light, dark } = defaultCssVariablesResolver(resolved);
  return {
    variables: { ...variables, '--line': 'var(--mantine-color-default-border)' },
    light: {
      ...light,
      '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
      '--mantine-color-placeholder': 'var(--mantine-color-gray-6)',
      '--mantine-color-default-border': 'var(--mantine-color-gray-3)',
      '--mantine-color-error': 'var(--mantine-color-red-9)',
      '--mantine-color-disabled-color': 'var(--mantine-color-gray-6)',
      ...inkOnTint,
      ...danger,
      '--surface': 'var(--mantine-color-white)',
      '--canvas': 'var(--mantine-color-gray-0)',
    },
    dark: {
      ...dark,
      '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
      '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
      '--mantine-color-default-border': 'var(--mantine-color-dark-5)',
      '--mantine-color-error': 'var(--mantine-color-red-4)',
      '--mantine-color-disabled-color': 'var(--mantine-color-dark-2)',
      '--mantine-color-anchor': 'var(--mantine-color-pine-3)',
      '--mantine-color-pine-light': '#173d3c',
      '--mantine-color-pine-light-hover': '#1b4746',
      ...quietTints,
      ...inkInTheDark,
      ...danger,
      '--surface': 'var(--mantine-color-dark-7)',
      '--canvas': 'var(--mantine-color-dark-8)',
    },
  };
};
