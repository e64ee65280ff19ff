import '@fontsource-variable/ibm-plex-sans/wght.css';
import '@fontsource/ibm-plex-mono/latin-400.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { spanishStart } from 'virtual:spanish';
import { language } from './language';

/** The application in the language of the page, with no word of another. */
void { en: () => import('./start'), es: () => import(/* @vite-ignore */ spanishStart) }[language]();
