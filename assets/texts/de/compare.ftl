# Die Seite Vergleich.

compare-last = Endgenauigkeit
compare-average = Mittlere Genauigkeit
compare-forgetting = Vergessen
compare-interval = 95-%-Intervall
compare-online = online
compare-offline = offline
compare-task-given = Task gegeben
compare-first-runs = Die ersten { $most } von { $n } Läufen werden verglichen.
compare-none = Noch keine Läufe
compare-none-about = Jeder Lauf, den du trainierst, wird gespeichert und steht hier
compare-folders = Weitere Ordner …
compare-folders-of = Weitere Ordner ({ $n }) …
compare-deleted = Gelöschte Läufe …
compare-view-mode = Ansicht
compare-side-by-side = Nebeneinander
compare-table = Tabelle

# Die Liste.
compare-runs = Läufe
compare-count-of = { $n } von { $of }
compare-filter = Filtern
compare-filter-name = Läufe filtern
compare-filter-hint = Wörter aus Name, Tag oder Notiz, aus Methode, Daten oder Einstellungen; oder eine Bedingung: final > 85 and method = l2p
compare-reload = Neu laden
compare-none-found = Kein Lauf passt
compare-export = Exportieren …
compare-export-hint = Exportiert Bericht, Tabelle oder Abbildung der gewählten Läufe oder aller Läufe in der Liste
compare-report = Bericht (.html)
compare-report-hint = Eine Webseite mit Kennzahlen, Kurven, Matrizen, Bildern, Einstellungen und Hashes
compare-svg = Kurven (.svg)
compare-svg-hint = Genauigkeit nach jedem Task als Vektorgrafik, für Paper und Folien
compare-pdf = Kurven (.pdf)
compare-pdf-hint = Dasselbe für LaTeX, mit Text als Konturen
compare-png = Kurven (.png)
compare-png-hint = Dasselbe als Rastergrafik
compare-latex = Tabelle für LaTeX (.tex)
compare-latex-hint = Mittel ± Std. über Klassenreihenfolgen und Startwerte, mit booktabs
compare-markdown = Tabelle für Markdown (.md)
compare-markdown-hint = Mittel ± Std. über Klassenreihenfolgen und Startwerte
compare-csv = Alle Ergebnisse (.csv)
compare-csv-hint = Eine Zeile für jeden Lauf, Task und Experten, für Tabellenprogramme
compare-selected = { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
} gewählt
compare-selected-tags = Tags …
compare-selected-delete = Löschen
compare-selected-read-only = Mindestens einer dieser Läufe liegt in einem schreibgeschützten Ordner
compare-clear-selection = Auswahl aufheben
compare-key-delete = Entf

# Ein Lauf in der Liste.
compare-select-run = { $name } wählen
compare-select-hint = Klick wählt, Doppelklick öffnet; { $key }+Klick nimmt einen Lauf dazu, Umschalt+Klick einen Bereich. Rechtsklick zeigt alle Aktionen
compare-read-only = schreibgeschützt
compare-stopped-after = beendet nach { $done } von { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
}
compare-running = läuft
compare-damaged = nicht lesbar
compare-tag-hint = Zeigt die Läufe mit diesem Tag
compare-open = Öffnen
compare-predict = Vorhersagen
compare-duplicate = Duplizieren
compare-name-run = Benennen …
compare-delete = Löschen
compare-more = Mehr
compare-pack-run = In eine Datei packen …
compare-check-run = Prüfen …
compare-retrain = Noch einmal trainieren und vergleichen

# Nebeneinander.
compare-select-runs = Wähle Läufe, um sie zu vergleichen.
compare-not-comparable = Nicht vergleichbar
compare-not-comparable-about = Diese Läufe unterscheiden sich von { $name } in Daten oder Tasks; ihre Ergebnisse sind nicht vergleichbar.
compare-show-instead = Stattdessen zeigen
compare-other-data = andere Daten ({ $data })
compare-first-task = Task 1 ist { $names }
compare-other-test-images = andere Testbilder
compare-measured-on = gemessen auf { $on ->
    [validation] Validierungsbildern
   *[test] Testbildern
}
compare-curves-name = Genauigkeit der gewählten Läufe nach jedem Task
compare-run = Lauf
compare-after = nach { $done } von { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
}
compare-points-forgotten = { $expert }, { $points } Punkte vergessen
compare-differences = Unterschiede
compare-no-differences = Nichts: gleiche Einstellungen, Gewichte und Plugins.
compare-weights-hash = Gewichte, SHA-256
compare-precision = Rechengenauigkeit
compare-plugin-hash = Plugin-Datei, SHA-256
compare-first-task-over-time = Task 1 im Lauf der Zeit
compare-images-of-classes = Bilder von { $names }.
compare-still-correct = noch richtig, anfangs { $then }
compare-first-task-results = Wo Task 1 { $names } ist: { $words }
compare-same-task-count-only = Verglichen werden nur Läufe, die gleich viele Tasks derselben Daten gelernt haben.
compare-same-class-order-only = In einer anderen Klassenreihenfolge hat Task 1 andere Bilder: Verglichen werden nur Läufe derselben Reihenfolge.
compare-both-still-recognise = Nach { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} erkennen { $best } und { $worst } beide noch { $share } von Task 1.
compare-still-recognise = Nach { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} erkennt { $best } noch { $most } von Task 1, { $worst } { $least }.
compare-still-recognise-only = Nach { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} erkennt { $best } noch { $most } von Task 1, { $worst } nur { $least }.
compare-image-by-image = Bild für Bild
compare-paired-images-unknown = { $one } und { $other }: nicht verglichen, weil { $older } nicht speichert, mit welchen Bildern getestet wurde (der Lauf stammt von einer älteren Version).
compare-paired-other-images = { $one } und { $other }: nicht verglichen, weil sie mit verschiedenen Bildern getestet wurden.
compare-paired-same-images = { $one } und { $other } haben { $n ->
    [one] bei { $n } Bild dasselbe
   *[other] von { $n } Bildern dieselben
} richtig.
compare-paired-unlikely-chance = Bei { $differing } von { $n ->
    [one] { $n } Bild
   *[other] { $n } Bildern
} ist nur einer der beiden richtig, { $one } bei { $first } und { $other } bei { $second }: { $p }, also kommt der Unterschied wahrscheinlich nicht von der Wahl der Bilder.
compare-paired-maybe-chance = Bei { $differing } von { $n ->
    [one] { $n } Bild
   *[other] { $n } Bildern
} ist nur einer der beiden richtig, { $one } bei { $first } und { $other } bei { $second }: { $p }, also kann der Unterschied von der Wahl der Bilder kommen.
compare-mcnemar = McNemar-Test nur für diese trainierten Läufe; andere Startwerte und Klassenreihenfolgen können andere Ergebnisse haben.
compare-mcnemar-many-comparisons = McNemar-Test nur für diese trainierten Läufe; andere Startwerte und Klassenreihenfolgen können andere Ergebnisse haben. Von 20 Vergleichen gleich guter Läufe hat etwa einer zufällig p < 0,05.

# Was Läufe kosten.
compare-cost = Aufwand
compare-images-shown = gezeigte Bilder
compare-images-shown-hint = Trainingsbilder, die durch das Netz gingen, mit Wiederholungen
compare-epochs = Epochen
compare-epochs-hint = Je Task, bei Methoden, die in Epochen trainieren
compare-trainable-parameters = trainierbar
compare-trainable-parameters-hint = Trainierbare Parameter ohne Köpfe; bei LAE die der PETs eines Experten
compare-stored-parameters = gespeichert
compare-stored-parameters-hint = Parameter, die nach dem letzten Task für Vorhersagen gespeichert werden
compare-learning-memory = Speicher
compare-learning-memory-hint = Daten, die für das Lernen des nächsten Tasks behalten werden, zusätzlich zum Netz
compare-training-time = Trainingszeit
compare-training-time-hint = Trainingszeit aller Tasks, ohne Testen
compare-time-per-image = je Bild
compare-time-per-image-hint = Mittlere Zeit, um ein Bild vorherzusagen

# Die Tabelle.
compare-table-runs = Läufe
compare-table-run = Lauf
compare-table-row = Zeile
compare-table-tasks = Tasks
compare-table-all-tasks = alle
compare-table-measured-on = Gemessen an
compare-table-pairs = Paare
compare-table-difference = Unterschied
compare-table-against = { $figure } im Vergleich zu { $of }
compare-default-columns = Standardspalten
compare-building-table = Die Tabelle wird erstellt.
compare-mean-and-band = Mittel über die Läufe einer Zeile; das Band ist eine Standardabweichung.
compare-table-curves-name = Genauigkeit der gewählten Zeilen nach jedem Task
compare-rows = { $n ->
    [one] { $n } Zeile
   *[other] { $n } Zeilen
}
compare-group-by = Gruppieren nach
compare-group-by-hint = Läufe mit denselben Werten dieser Einstellungen stehen in einer Zeile: Mittel ± Std.
compare-columns = Spalten
compare-published = Veröffentlichte Ergebnisse
compare-published-hint = Fügt die Ergebnisse des Papers zu Zeilen mit denselben Daten, demselben Netz, derselben Methode und demselben PET hinzu
compare-unfinished = Unfertige Läufe
compare-unfinished-hint = Fügt Läufe hinzu, die noch nicht alle ihre Tasks gelernt haben, in eigenen Zeilen; ihre Endgenauigkeit gilt für weniger Klassen
compare-unfinished-not-shown = { $n ->
    [one] { $n } unfertiger Lauf wird nicht gezeigt
   *[other] { $n } unfertige Läufe werden nicht gezeigt
}
compare-seed-without-effect = { $title } verwendet keine Zufallszahlen: Läufe, die sich nur im Startwert unterscheiden, zählen als einer
compare-stop-comparing = Vergleich beenden
compare-copy-tabs = Für ein Tabellenprogramm
compare-copy-markdown = Als Markdown
compare-copy-latex = Als LaTeX
compare-all-rows-share = Alle Zeilen: { $each }
compare-mixed-settings = Die Mittel umfassen Läufe, die sich in anderen Einstellungen unterscheiden; gruppiere danach:
compare-sort = Klicke, um zu sortieren
compare-plot = { $name } zeichnen
compare-more-actions = Weitere Aktionen für { $name }
compare-rows-with-this = Alle Zeilen mit dieser vergleichen
compare-runs-side-by-side = { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
} nebeneinander vergleichen
