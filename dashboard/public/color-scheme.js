// Runs before the first paint, so that a dark dashboard does not flash white. A file of its own: inline scripts are refused.
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value') ?? 'auto';
  } catch {
    // Storage may be switched off; then the system decides.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  const page = document.documentElement;
  const scheme = 'data-mantine-color-scheme';
  page.setAttribute(scheme, isDark ? 'dark' : 'light');
  // Paper is white.
  let shown = '';
  addEventListener('beforeprint', () => {
    shown = page.getAttribute(scheme);
    page.setAttribute(scheme, 'light');
  });
  addEventListener('afterprint', () => page.setAttribute(scheme, shown));
})();
