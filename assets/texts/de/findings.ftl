# Was über Läufe gesagt wird: was an einem wichtig ist, und mehrere im Vergleich.

findings-paused = angehalten
