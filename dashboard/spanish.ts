/** What `main.ts` goes on with in Spanish: the build gives all texts below in it. */
void import('./start');
