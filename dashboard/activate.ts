import { i18n } from '@lingui/core';
import { language, locale } from './language';

document.documentElement.lang = language;
// Each text has its words with it (vite.config.ts): what is left of a language is how it counts.
i18n.loadAndActivate({ locale: language, locales: locale, messages: {} });

export { i18n };
